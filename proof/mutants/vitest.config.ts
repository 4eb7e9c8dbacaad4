import { statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A mutant that never ends fails a small test of its file before a wide one hangs. */
class SmallFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const size = ({ moduleId }: TestSpecification) => statSync(moduleId).size
    return files.toSorted((one, other) => size(one) - size(other))
  }
}

/**
 * The tests against mutants, which `pnpm --dir proof mutants` names, without tests of a README and recorded answers. A test that fails at
 * every change proves no rule, the memory of instrumented code means nothing, and the search takes seconds for each mutant.
 */
export default defineConfig({
  test: {
    include: process.env.MUTANT_TESTS?.split(' ') ?? [],
    exclude: ['packages/core/test/{readme,recorded-answers/*}.test.ts', '**/*.night.test.ts'],
    // Otherwise each of the hundred files imports core anew, for every mutant.
    isolate: false,
    sequence: { sequencer: SmallFilesFirst },
    setupFiles: 'proof/mutants/coverage-of-one-file.ts',
    testTimeout: 20_000,
  },
})
