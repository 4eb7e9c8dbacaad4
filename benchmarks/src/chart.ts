/** Charts as Mermaid text, which Markdown viewers draw. */

/** Colours that work on a white and on a black page. */
const COLOURS = [
  '---',
  'config:',
  '  themeVariables:',
  '    xyChart:',
  '      plotColorPalette: "#4c78c8, #d9822b, #3a9a5b, #b0509a, #8a8a2e"',
  '---',
]

/** Bars from left to right, one below the other. */
export function barChart(title: string, bars: readonly (readonly [label: string, value: number])[]): string {
  return fenced([
    'xychart-beta horizontal',
    `  title "${title}"`,
    `  x-axis [${bars.map(([label]) => `"${label}"`).join(', ')}]`,
    `  bar [${bars.map(([, value]) => value.toFixed(1)).join(', ')}]`,
  ])
}

/** Lines over named points, from zero to at least twice their first value, which is 1. */
export function lineChart(
  title: string,
  points: readonly string[],
  lines: readonly (readonly number[])[],
): string {
  const top = Math.max(2, Math.ceil(Math.max(...lines.flat())))
  return fenced([
    'xychart-beta',
    `  x-axis "${title}" [${points.map((point) => `"${point}"`).join(', ')}]`,
    `  y-axis "times the cost at ${points[0]}" 0 --> ${top}`,
    ...lines.map((line) => `  line [${line.map((value) => value.toFixed(2)).join(', ')}]`),
  ])
}

function fenced(lines: readonly string[]): string {
  return ['```mermaid', ...COLOURS, ...lines, '```'].join('\n')
}
