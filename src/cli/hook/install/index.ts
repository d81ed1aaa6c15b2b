export { carryOut, type HookChange, type HookTarget, planInstall } from './install.js';
