import { displayText } from '@grantkit/core/internal'
import type { AreaName } from '../oauth/scopes.ts'
import type { SchoolRecord } from '../school/record.ts'
import type { SchoolRecords } from '../school/records.ts'

/** The prices of the school, from its published records. */
export async function pricingMarkdown(school: SchoolRecords): Promise<string> {
  const sections = [
    await section('Membership plans', 'membership_plans', school),
    await section('Courses', 'courses', school),
    await section('Digital products', 'digital_products', school),
  ]
  return `# Pricing

What Harbour School sells. Anybody may read the same from the API.

${sections.join('\n')}`
}

async function section(title: string, area: AreaName, school: SchoolRecords): Promise<string> {
  const { items } = await school.list(area, { published: true })
  const rows = items.map(row)
  return `## ${title}

From \`GET /api/${area}\`.

| Name | Price |
|---|---:|
${rows.join('\n')}
`
}

function row(record: SchoolRecord): string {
  return `| ${cell(record.title ?? record.name ?? record.id)} | ${priceOf(record.price)} |`
}

function priceOf(price: unknown): string {
  const {
    amount = 0,
    currency = '',
    per,
  } = Object(price) as { amount?: number; currency?: string; per?: string }
  if (amount === 0) return 'free'
  return `${(amount / 100).toFixed(2)} ${cell(currency)}${per === undefined ? '' : ` per ${cell(per)}`}`
}

/** Renderers turn these into links even where they are escaped. */
const LIKE_A_LINK = /\w[.:@]\S/

/** Text that cannot end the table cell, and contains no markup and no link. */
function cell(value: unknown): string {
  const text = displayText(String(value))
  if (LIKE_A_LINK.test(text)) return `\`${text.replace(/[|\\`]/g, ' ')}\``
  return text.replace(/[|\\`<>[\]*_]/g, '\\$&')
}
