// What a page does beside being read: it stays fresh, sends answers, and follows the keyboard. Everything shown is made by
// the server; this swaps the parts that changed.
import './page/answers.js';
import './page/clock.js';
import { attend } from './page/freshness.js';
import './page/keys.js';
import { toEnd } from './page/scroll.js';
import './page/slider.js';

if (document.querySelector('[data-follow="page"]')) toEnd();
for (const box of document.querySelectorAll('[data-follow="box"]')) box.scrollTop = box.scrollHeight;
attend();
