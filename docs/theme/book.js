// On a phone, the contents of a page are folded until somebody wants them.
document.addEventListener('DOMContentLoaded', () => {
  const contents = document.querySelector('div.toc');
  const title = contents && contents.querySelector('h3');
  if (!title) return;
  contents.classList.add('folded');  // shown folded on narrow screens only: see book.css
  title.addEventListener('click', () => contents.classList.toggle('folded'));
});

// A result of the search may be on this page; the list of results then has to go.
window.addEventListener('hashchange', () => {
  if (window.searchBox) searchBox.CloseResultsWindow();
});
