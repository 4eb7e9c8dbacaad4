/**
 * What `npm create grantkit` does, for programs.
 *
 * @module
 */

export type { Choices, FeatureName, Framework, PagesName, StoreName } from './choices.ts'
export { createProject, type ProjectOptions } from './create-project.ts'
export { ChoiceError } from './read-choices.ts'
