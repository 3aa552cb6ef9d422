MathJax.Hub.Config({
  showMathMenu: false,
  messageStyle: "none",
  SVG: {linebreaks: {automatic: false}, scale: 95}
});
