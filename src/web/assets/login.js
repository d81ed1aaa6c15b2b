// The page that a login link opens: keeps the key that its session acts with, and goes on.
import { keepKey } from './page/sending/key.js';

keepKey(document.querySelector('#page-key').dataset.key);
location.replace('/');
