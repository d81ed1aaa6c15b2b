// Starts the scripts of a page: it stays fresh, sends answers, and follows the keyboard. The server renders all that is
// shown; these scripts swap the parts that changed.
import './page/sending/answers.js';
import './page/sending/outlook.js';
import './page/fresh/clock.js';
import './page/fresh/zone.js';
import './page/fresh/log-wrap.js';
import './page/fresh/hit-marks.js';
import './page/search/saved-searches.js';
import './page/search/search-counts.js';
import { attend } from './page/fresh/freshness.js';
import './page/keyboard/keys.js';
import { toEnd } from './page/fresh/scroll.js';
import './page/fresh/same-page.js';
import { showLine } from './page/fresh/line-links.js';
import { showRange } from './page/review/line-range.js';

if (document.querySelector('[data-follow="page"]')) toEnd();
for (const box of document.querySelectorAll('[data-follow="box"]')) box.scrollTop = box.scrollHeight;
showLine();
showRange();
attend();
