// How large the random experiments are: 1 in the ordinary suite, more where somebody has the time.
const wanted = Number(process.env['EXPERIMENT_SIZE'] ?? 1);

export const experimentSize = Number.isInteger(wanted) && wanted > 0 ? wanted : 1;
