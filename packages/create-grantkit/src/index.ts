/**
 * What `npm create grantkit` and `grantkit init` do, for programs.
 *
 * @module
 */

export type { Choices } from './choices.ts'
export { initServer } from './command.ts'
export { createProject, type ProjectOptions } from './create-project.ts'
export { ChoiceError, type TypedChoices } from './read-choices.ts'
