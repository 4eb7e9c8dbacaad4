import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MinimalReporter, type Vitest } from 'vitest/node'

/** How the tests of a package ended, for the sum that ends a run. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Where the counts of a package lie, below its folder. */
export const COUNTS = 'node_modules/.cache/tests.json'

/** A line for each package, and in full only what fails. */
export default class LineReporter extends MinimalReporter {
  override onInit(vitest: Vitest): void {
    this.ctx = vitest
    this.silent = 'passed-only'
  }

  override reportTestSummary(): void {}

  override onTestRunEnd(...[modules, errors, reason]: Parameters<MinimalReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, errors, reason)
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const count = (wanted: string) => states.filter((state) => state === wanted).length
    const counts: Counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
    const folder = this.ctx.config.root
    mkdirSync(dirname(join(folder, COUNTS)), { recursive: true })
    writeFileSync(join(folder, COUNTS), JSON.stringify(counts))
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string }
    const seconds = ((this.end - this.start) / 1000).toFixed(1)
    this.log(`${name}: ${counts.passed} tests passed, ${counts.failed} failed, in ${seconds} s`)
  }
}
