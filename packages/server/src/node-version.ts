import { readFileSync } from 'node:fs'

/**
 * Says that a version of Node is too old for this package; `undefined` if it is not. This file imports no other, so
 * that an old Node can run it.
 */
export function nodeVersionProblem(version = process.versions.node): string | undefined {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const minimum: string = engines.node.replace('>=', '')
  const [major = 0, minor = 0] = numbersOf(version)
  const [minMajor = 0, minMinor = 0] = numbersOf(minimum)
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined
  return `grantkit needs Node ${minimum} or newer; this is ${version}. In this folder, \`npm install node@${minMajor}\` makes npx use it.`
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
