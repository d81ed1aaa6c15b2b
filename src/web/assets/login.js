// The page that a login link opens: stores the session's page key and goes on to the page.
import { keepKey } from './page/sending/key.js';

keepKey(document.querySelector('#page-key').dataset.key);
location.replace('/');
