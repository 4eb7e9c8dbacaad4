/** The commands of a service, for a program of its own. */

export { runProgram } from './commands/command-line.ts'
export { grantkit, operatorCommands } from './commands/grantkit.ts'
export { start } from './commands/start.ts'
export type { ConfiguredService, LoadService } from './definition.ts'
