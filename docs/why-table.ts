import { VERDICTS, type VerdictText } from '@grantkit/core/explain'

/** Every verdict of core as the table of why.md. */
export function whyTable(): string {
  const rows = Object.entries(VERDICTS).map(([id, { by, sentence, toDeveloper, ...verdict }]) => [
    `\`${id}\``,
    by,
    sentence,
    whatToDo(verdict),
    toDeveloper,
  ])
  const head = ['Verdict', 'By', 'What happened', 'What to do', 'Words for the developer']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function whatToDo({ fix, doctorCheck }: Pick<VerdictText, 'fix' | 'doctorCheck'>): string {
  return doctorCheck === undefined ? fix : `${fix} [Doctor](doctor.md): \`${doctorCheck}\`.`
}
