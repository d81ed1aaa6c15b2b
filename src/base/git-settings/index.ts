export {
  acceptSettings,
  heedSettings,
  refuseChangedSettings,
  restoreSettings,
  type SettingsGuard,
  settingsChanged,
  settingsGuard,
  tellChanges,
} from './notes.js';
