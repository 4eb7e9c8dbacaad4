import { spawnSync } from 'node:child_process'

/** The lines that one file has and another has not, as `git diff` counts them. */
export function addedLines(before: string, after: string): string[] {
  const given = ['diff', '--no-index', '--unified=0', before, after]
  const { stdout } = spawnSync('git', given, { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line))
}
