import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MinimalReporter, type TestModule, type Vitest } from 'vitest/node'

/** How the tests of a package ended, for the sum that ends a run. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Where the counts of a package lie, below its folder. */
export const COUNTS = 'node_modules/.cache/tests.json'

const PROGRESS_MS = 20_000

/** A line for each package, and in full only what fails. */
export default class LineReporter extends MinimalReporter {
  #name = ''
  #files = { all: 0, ended: 0 }
  #progress?: NodeJS.Timeout

  override onInit(vitest: Vitest): void {
    this.ctx = vitest
    this.silent = 'passed-only'
    const manifest = readFileSync(join(vitest.config.root, 'package.json'), 'utf8')
    this.#name = (JSON.parse(manifest) as { name: string }).name
  }

  override onTestRunStart(files: Parameters<MinimalReporter['onTestRunStart']>[0]): void {
    super.onTestRunStart(files)
    this.#files = { all: files.length, ended: 0 }
    const say = () => this.log(`${this.#name}: ${this.#files.ended} of ${this.#files.all} files`)
    this.#progress = setInterval(say, PROGRESS_MS)
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    this.#files.ended++
  }

  override reportTestSummary(): void {}

  override onTestRunEnd(...[modules, errors, reason]: Parameters<MinimalReporter['onTestRunEnd']>): void {
    clearInterval(this.#progress)
    super.onTestRunEnd(modules, errors, reason)
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const count = (wanted: string) => states.filter((state) => state === wanted).length
    const counts: Counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
    const folder = this.ctx.config.root
    mkdirSync(dirname(join(folder, COUNTS)), { recursive: true })
    writeFileSync(join(folder, COUNTS), JSON.stringify(counts))
    const seconds = ((this.end - this.start) / 1000).toFixed(1)
    this.log(`${this.#name}: ${counts.passed} tests passed, ${counts.failed} failed, in ${seconds} s`)
  }
}
