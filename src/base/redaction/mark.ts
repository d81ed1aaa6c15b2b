/** What stands where a secret stood. */
export const mark = '[redacted]';
