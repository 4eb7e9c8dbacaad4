/** All problems at once, so that a start does not fail once for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  /** @param file the configuration file, if there is one */
  constructor(problems: readonly string[], file?: string) {
    const where = file === undefined ? '' : ` (${file})`
    super(
      `The configuration is not valid${where}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}
