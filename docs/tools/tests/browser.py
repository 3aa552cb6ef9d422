"""A headless Chromium that may open nothing but files of this machine."""
import base64
import json
import math
import os
import shutil
import sys
import time


# Elements that reach beyond the window and are in nothing that scrolls.
STICKING_OUT = """const scrolls = e => e.id != 'doc-content' && e.classList && /auto|scroll/.test(getComputedStyle(e).overflowX);
  return [...document.querySelectorAll('.contents *, .header *')].filter(e => {
    if (e.closest('[class^=MathJax] svg, script, .MathJax_SVG_Processing') || e.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let up = e; up && up != document.body; up = up.parentElement) if (scrolls(up)) return false;
    return true;
  }).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))"""

HIGHEST = 12000  # pixels of a picture: Chromium leaves out what is below 16,384
# Scrolls the text, whichever element it is that scrolls; whether it went so far. Scripts of the page follow a new height of the window a little later.
SCROLL = """(start => { const c = document.getElementById('doc-content'), d = document.documentElement; c.scrollTop = d.scrollTop = start;
  return Math.abs(Math.max(c.scrollTop, d.scrollTop) - start) <= 1 })"""


class Missing(Exception):
    """What the browser test needs and this machine does not have."""


def start():
    """A driver, or Missing."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise Missing('selenium for this Python; docs/tools/requirements.txt names it') from None
    browser = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
    driver = shutil.which('chromedriver') or shutil.which('chromium.chromedriver')
    if not browser or not driver:
        raise Missing('Chromium and chromedriver; on Debian: apt-get install chromium chromium-driver')
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    # Any name of a host is refused, so that what asks for the web fails at once and shows in the log.
    for word in ('--headless=new', '--host-resolver-rules=MAP * ~NOTFOUND', '--disable-background-networking', '--disable-dev-shm-usage',
                 '--hide-scrollbars', '--force-color-profile=srgb', '--disable-component-update', '--no-first-run'):
        options.add_argument(word)
    if os.geteuid() == 0:
        options.add_argument('--no-sandbox')  # which Chromium refuses to root
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
    return webdriver.Chrome(options=options, service=Service(driver))


class Browser:
    """One page after the other, in a window of a chosen size. What is wrong is gathered in `problems`."""

    def __init__(self, site, screenshots):
        self.site, self.screenshots, self.problems, self.checks = site, screenshots, [], 0
        self.driver, self.page, self.width, self.requests = start(), '', 0, 0

    def close(self):
        self.driver.quit()

    def check(self, holds, problem):
        self.checks += 1
        if not holds:
            self.problems.append(f'{self.page} at {self.width} px: {problem}')
        return bool(holds)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=20):
        """Waits until the JavaScript expression is true; whether it became so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f'return !!({script})'):
                return True
            time.sleep(0.05)
        return False

    def size(self, width, height):
        self.width = width
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                                    {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 768})

    def open(self, page):
        self.page = page
        self.driver.get((self.site / page).as_uri())
        self.check(self.wait('document.readyState == "complete" && window.MathJax && MathJax.isReady'), 'MathJax did not start')
        self.run('if (window.MathJax) MathJax.Hub.Queue(() => window.formulasDone = true)')
        self.check(self.wait('window.formulasDone'), 'the formulas were not finished')

    def check_logs(self):
        """Nothing was asked for but files of the site, all of them were there, and no script complained."""
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                url = message['params']['request']['url']
                self.requests += 1
                self.check(url.startswith((self.site.as_uri(), 'data:', 'about:', 'javascript:')), f'asked for {url}')
            elif message['method'] == 'Network.loadingFailed' and not message['params'].get('canceled'):
                self.check(False, f'something could not be loaded: {message["params"]["errorText"]}')
        for entry in self.driver.get_log('browser'):
            self.check(False, f'the console says: {entry["message"]}')

    def check_width(self):
        sizes = self.run('const c = document.getElementById("doc-content"); const d = document.documentElement;'
                         'return [d.scrollWidth, c.scrollWidth, c.clientWidth]')
        self.check(sizes[0] <= self.width and sizes[1] <= sizes[2], f'is wider than the window: {sizes}')
        wide = self.run(STICKING_OUT)
        self.check(not wide, f'sticks out at the right: {wide[:3]}')

    def screenshot(self):
        """The whole page: the window is made as high as the text. What is higher than HIGHEST becomes several pictures."""
        head, text = self.run('const c = document.getElementById("doc-content"), top = c.getBoundingClientRect().top;'
                              'return [top, Math.max(document.documentElement.scrollHeight - top, c.scrollHeight)]')
        head, text = math.ceil(head), math.ceil(text)
        step = HIGHEST - head  # what stands above the text stays there
        for part, start in enumerate(range(0, text, step), 1):
            self.size(self.width, head + min(step, text - start))
            self.check(self.wait(f'{SCROLL}({start})'), f'cannot be scrolled to {start} px for picture {part}')
            picture = self.driver.execute_cdp_cmd('Page.captureScreenshot', {'format': 'png'})['data']
            name = f'{self.page.removesuffix(".html")}-{self.width}' + (f'-{part}' if text > step else '')
            (self.screenshots / f'{name}.png').write_bytes(base64.b64decode(picture))


def skip(missing):
    print(f'Skipped: the test needs {missing}')
    sys.exit(77)
