import type { ScopeDefinition } from '@grantkit/core'

/** An area of the school's API. Its name is the first half of its scopes and the path below `/api/`. */
interface Area {
  readonly title: string
  /** The text of the consent page for `<area>:read`. Without a text the scope does not exist. */
  readonly read?: string
  /** The text of the consent page for `<area>:write`. Without a text the scope does not exist. */
  readonly write?: string
  /**
   * A catalogue: published records are public, its read scope is a baseline scope, and client-credentials tokens may
   * have its scopes. Every other area belongs to users, and needs a signed-in user.
   */
  readonly catalogue?: true
}

/** All areas of the API: the only place to add an area or a scope. */
const AREAS = {
  courses: {
    title: 'Courses',
    read: 'See all courses, also unpublished ones',
    write: 'Create, change and delete courses',
    catalogue: true,
  },
  students: {
    title: 'Students',
    read: 'See the students and their progress',
    write: 'Enrol, change and remove students',
  },
  members: { title: 'Members', read: 'See the members', write: 'Add, change and remove members' },
  analytics: { title: 'Analytics', read: 'See visits, sales and completion figures' },
  curriculum: {
    title: 'Curriculum',
    read: 'See chapters and lessons',
    write: 'Create, change and delete chapters and lessons',
  },
  orders: { title: 'Orders', read: 'See the orders' },
  school: { title: 'School', read: "See the school's settings", write: "Change the school's settings" },
  appearance: { title: 'Appearance', read: 'See themes and logos', write: 'Change themes and logos' },
  events: {
    title: 'Events',
    read: 'See all events, also unpublished ones',
    write: 'Create, change and delete events',
    catalogue: true,
  },
  membership_plans: {
    title: 'Membership plans',
    read: 'See all membership plans',
    write: 'Create, change and delete membership plans',
    catalogue: true,
  },
  coupons: { title: 'Coupons', read: 'See the coupons', write: 'Create, change and delete coupons' },
  posts: {
    title: 'Posts',
    read: 'See all posts, also drafts',
    write: 'Write, change and delete posts',
    catalogue: true,
  },
  subscriptions: {
    title: 'Subscriptions',
    read: 'See the subscriptions',
    write: 'Start, change and cancel subscriptions',
  },
  digital_products: {
    title: 'Digital products',
    read: 'See all digital products',
    write: 'Create, change and delete digital products',
    catalogue: true,
  },
  comments: { title: 'Comments', read: 'See the comments' },
  lecturers: {
    title: 'Lecturers',
    read: 'See all lecturers',
    write: 'Add, change and remove lecturers',
    catalogue: true,
  },
  storage: { title: 'Storage', write: 'Upload, change and delete files' },
  forms: { title: 'Forms', read: 'See the forms and their answers' },
  pages: {
    title: 'Pages',
    read: 'See all pages, also drafts',
    write: 'Create, change and delete pages',
    catalogue: true,
  },
  account: {
    title: 'Your account',
    read: 'See your account settings',
    write: 'Change your account settings',
  },
} as const satisfies Record<string, Area>

export type AreaName = keyof typeof AREAS
type ScopesOf<Name extends AreaName> = Name extends unknown
  ? `${Name}:${Extract<keyof (typeof AREAS)[Name], 'read' | 'write'>}`
  : never
/** The 38 scopes of the service. */
export type Scope = 'openid' | 'profile' | 'email' | ScopesOf<AreaName>

/** The areas with their names, in table order. */
export const areas: readonly (Area & { readonly name: AreaName })[] = Object.entries(AREAS).map(
  ([name, area]) => ({
    ...area,
    name: name as AreaName,
  }),
)

export function scopeOf(area: AreaName, access: 'read' | 'write'): Scope {
  return `${area}:${access}` as Scope
}

/** All scopes, with the text for the consent page. */
export const SCOPES = Object.fromEntries([
  ['openid', { description: 'Confirm who you are' }],
  ['profile', { description: 'See your name and profile' }],
  ['email', { description: 'See your e-mail address' }],
  ...areas.flatMap(scopesOfArea),
]) as Readonly<Record<Scope, ScopeDefinition & { readonly description: string }>>

function scopesOfArea({
  name,
  title,
  read,
  write,
  catalogue,
}: Area & { name: AreaName }): [Scope, ScopeDefinition][] {
  const reading: ScopeDefinition = {
    description: read ?? '',
    area: title,
    access: 'read',
    baseline: catalogue === true,
    user: catalogue !== true,
  }
  const writing: ScopeDefinition = {
    description: write ?? '',
    area: title,
    access: 'write',
    user: catalogue !== true,
  }
  return [
    ...(read ? [[scopeOf(name, 'read'), reading] as [Scope, ScopeDefinition]] : []),
    ...(write ? [[scopeOf(name, 'write'), writing] as [Scope, ScopeDefinition]] : []),
  ]
}
