export { type Change, carryOut, type Installing, planInstall } from './install.js';
