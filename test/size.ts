// How large the random experiments are: 1 in the ordinary suite, more where somebody has the time.
const wanted = Number(process.env['EXPERIMENT_SIZE'] ?? 1);

export const experimentSize = Number.isInteger(wanted) && wanted > 0 ? wanted : 1;

/** The ordinary suite plays the same random stories each time; larger experiments play new ones, and print their seed. */
export const experimentSeed = experimentSize === 1 ? { seed: 20_261_119 } : {};
