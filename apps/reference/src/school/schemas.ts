import * as z from 'zod'
import type { AreaName } from '../oauth/scopes.ts'
import {
  count,
  day,
  email,
  language,
  line,
  lines,
  list,
  moment,
  money,
  published,
  recurring,
  reference,
  slug,
} from './members.ts'

/** The members of a record without its id, which the school assigns. Any other member is rejected. */
export type RecordSchema = z.ZodObject<z.ZodRawShape, z.core.$strict>

const SCHEMAS: Partial<Record<AreaName, RecordSchema>> = {
  courses: z.strictObject({
    title: line,
    slug: slug.optional(),
    description: lines.optional(),
    lecturer: reference.optional(),
    lessons: count.optional(),
    language: language.optional(),
    price: money.optional(),
    starts_on: day.optional(),
    published: published.optional(),
  }),
  students: z.strictObject({
    name: line,
    email: email.optional(),
    course: reference.optional(),
    progress: z.number().min(0).max(1).optional(),
    enrolled_on: day.optional(),
  }),
  members: z.strictObject({
    name: line,
    email: email.optional(),
    plan: reference.optional(),
    since: day.optional(),
  }),
  analytics: z.strictObject({ visits: count, sales: count, completions: count }),
  curriculum: z.strictObject({ course: reference, chapter: line, lessons: list.optional() }),
  orders: z.strictObject({ buyer: reference, item: reference, total: money, paid: z.boolean() }),
  school: z.strictObject({
    name: line,
    description: lines.optional(),
    language: language.optional(),
    timezone: line.optional(),
  }),
  appearance: z.strictObject({
    accent: z
      .string()
      .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #0f5e59')
      .optional(),
    logo: line.optional(),
  }),
  events: z.strictObject({
    title: line,
    slug: slug.optional(),
    description: lines.optional(),
    starts: moment,
    place: line.optional(),
    seats: count.optional(),
    price: money.optional(),
    published: published.optional(),
  }),
  membership_plans: z.strictObject({
    name: line,
    description: lines.optional(),
    price: recurring,
    includes: list.optional(),
    published: published.optional(),
  }),
  coupons: z.strictObject({
    code: z.string().regex(/^[A-Z0-9-]{3,32}$/, 'must be 3 to 32 capitals, digits and hyphens'),
    percent: z.int().min(1).max(100),
    until: day.optional(),
  }),
  posts: z.strictObject({
    title: line,
    slug: slug.optional(),
    author: reference.optional(),
    body: lines.optional(),
    published: published.optional(),
  }),
  subscriptions: z.strictObject({ member: reference, plan: reference, renews: day.optional() }),
  digital_products: z.strictObject({
    name: line,
    description: lines.optional(),
    price: money.optional(),
    published: published.optional(),
  }),
  comments: z.strictObject({ post: reference, author: line, text: lines }),
  lecturers: z.strictObject({
    name: line,
    subject: line.optional(),
    biography: lines.optional(),
    published: published.optional(),
  }),
  storage: z.strictObject({ name: line, media_type: line.optional(), text: lines.optional() }),
  forms: z.strictObject({ title: line, answers: count }),
  pages: z.strictObject({
    title: line,
    slug: slug.optional(),
    body: lines.optional(),
    published: published.optional(),
  }),
  account: z.strictObject({ newsletter: z.boolean().optional(), language: language.optional() }),
}

/** The minimal schema of a new area. */
const USUAL: RecordSchema = z.strictObject({
  title: line,
  description: lines.optional(),
  published: published.optional(),
})

/** The members whose value is unique within the area. */
const UNIQUE: Partial<Record<AreaName, string>> = {
  courses: 'slug',
  students: 'email',
  members: 'email',
  events: 'slug',
  coupons: 'code',
  posts: 'slug',
  storage: 'name',
  pages: 'slug',
}

export function schemaOfArea(area: AreaName): RecordSchema {
  return SCHEMAS[area] ?? USUAL
}

export function uniqueMember(area: AreaName): string | undefined {
  return UNIQUE[area]
}

/** A change of a record: any of its members; `null` removes an optional one (RFC 7396). */
export function changeOfArea(area: AreaName): RecordSchema {
  const members = Object.entries(schemaOfArea(area).shape).map(([name, member]) => [
    name,
    member instanceof z.ZodOptional ? member.nullable() : z.optional(member),
  ])
  return z.strictObject(Object.fromEntries(members))
}

/** A complete record, as the API and MCP return it. */
export function recordOfArea(area: AreaName): RecordSchema {
  return z.strictObject({ id: z.string(), ...schemaOfArea(area).shape })
}
