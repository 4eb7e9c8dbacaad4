import { fileURLToPath } from 'node:url'

/** The variable by which a run of `pnpm test:night` finds the processes that it has left. */
export const NIGHT = 'GRANTKIT_NIGHT'

const { PATH = '', [NIGHT]: night } = process.env

/**
 * What a test passes on to a program of this repository. Without the cache, to read and compile its modules takes half of the
 * time of a command.
 */
export const PROGRAM_ENVIRONMENT = {
  PATH,
  ...(night === undefined ? {} : { [NIGHT]: night }),
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/node', import.meta.url)),
}
