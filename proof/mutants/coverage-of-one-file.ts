/**
 * Stryker's runner sends the coverage after each test file, and forgets nothing. Where files share a worker, that is the coverage of all
 * files before: the memory for a hundred and fifty of them is more than a process may have.
 */
interface Coverage {
  static: object
  perTest: object
}

const { mutantCoverage } =
  (globalThis as { readonly __stryker__?: { readonly mutantCoverage?: Coverage } }).__stryker__ ?? {}
if (mutantCoverage !== undefined) Object.assign(mutantCoverage, { static: {}, perTest: {} })
