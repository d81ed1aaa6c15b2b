export {
  acceptSettings,
  refuseChangedSettings,
  restoreSettings,
  type SettingsGuard,
  settingsGuard,
} from './notes.js';
