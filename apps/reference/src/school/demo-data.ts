import type { AreaName } from '../oauth/scopes.ts'
import type { SchoolRecord } from './record.ts'

/** A small demo school, for development and `pnpm start --demo`. */
export const DEMO_SCHOOL: Partial<Record<AreaName, readonly SchoolRecord[]>> = {
  courses: [
    {
      id: 'watercolour-basics',
      title: 'Watercolour basics',
      lecturer: 'mira-holm',
      lessons: 14,
      price: { amount: 4900, currency: 'EUR' },
      published: true,
    },
    {
      id: 'typography-for-the-web',
      title: 'Typography for the web',
      lecturer: 'jonas-adeyemi',
      lessons: 22,
      price: { amount: 8900, currency: 'EUR' },
      published: true,
    },
    {
      id: 'bread-at-home',
      title: 'Bread at home',
      lecturer: 'lucia-ferro',
      lessons: 9,
      price: { amount: 2900, currency: 'EUR' },
      published: true,
    },
    {
      id: 'first-steps-in-statistics',
      title: 'First steps in statistics',
      lecturer: 'tomas-novak',
      lessons: 31,
      price: { amount: 0, currency: 'EUR' },
      published: true,
    },
    {
      id: 'night-photography',
      title: 'Night photography',
      lecturer: 'mira-holm',
      lessons: 11,
      price: { amount: 5900, currency: 'EUR' },
      published: true,
    },
    {
      id: 'ceramics-glazing',
      title: 'Ceramics: glazing',
      lecturer: 'lucia-ferro',
      lessons: 6,
      price: { amount: 6900, currency: 'EUR' },
      published: false,
    },
  ],
  lecturers: [
    { id: 'mira-holm', name: 'Mira Holm', subject: 'Painting and photography', published: true },
    { id: 'jonas-adeyemi', name: 'Jonas Adeyemi', subject: 'Design', published: true },
    { id: 'lucia-ferro', name: 'Lucia Ferro', subject: 'Crafts', published: true },
    { id: 'tomas-novak', name: 'Tomas Novak', subject: 'Mathematics', published: true },
    { id: 'ines-duarte', name: 'Ines Duarte', subject: 'Languages', published: false },
  ],
  students: [
    { id: 'student-1001', name: 'Sam Okafor', course: 'bread-at-home', progress: 0.67 },
    { id: 'student-1002', name: 'Elif Kaya', course: 'typography-for-the-web', progress: 0.12 },
    { id: 'student-1003', name: 'Noah Lindqvist', course: 'watercolour-basics', progress: 1 },
  ],
  members: [
    { id: 'member-1', name: 'Elif Kaya', plan: 'studio', since: '2026-02-11' },
    { id: 'member-2', name: 'Sam Okafor', plan: 'friend', since: '2026-06-30' },
  ],
  analytics: [
    { id: '2026-09', visits: 18_420, sales: 212, completions: 64 },
    { id: '2026-10', visits: 21_007, sales: 251, completions: 71 },
  ],
  curriculum: [
    {
      id: 'bread-1',
      course: 'bread-at-home',
      chapter: 'Flour, water, salt',
      lessons: ['Choosing flour', 'The first dough'],
    },
    {
      id: 'bread-2',
      course: 'bread-at-home',
      chapter: 'Sourdough',
      lessons: ['Keeping a starter', 'Shaping', 'Baking'],
    },
  ],
  orders: [
    {
      id: 'order-5521',
      buyer: 'student-1001',
      item: 'bread-at-home',
      total: { amount: 2900, currency: 'EUR' },
      paid: true,
    },
    {
      id: 'order-5522',
      buyer: 'student-1002',
      item: 'typography-for-the-web',
      total: { amount: 7120, currency: 'EUR' },
      paid: true,
    },
  ],
  school: [{ id: 'settings', name: 'Harbour School', language: 'en', timezone: 'Europe/Lisbon' }],
  appearance: [{ id: 'theme', accent: '#0f5e59', logo: '/harbour-school.svg' }],
  events: [
    {
      id: 'open-studio',
      title: 'Open studio evening',
      starts: '2026-12-04T18:00:00Z',
      place: 'Harbour 3',
      published: true,
    },
    {
      id: 'type-walk',
      title: 'A walk along old shop signs',
      starts: '2027-01-16T10:00:00Z',
      place: 'Old town',
      published: true,
    },
    {
      id: 'summer-school',
      title: 'Summer school',
      starts: '2027-07-05T08:00:00Z',
      place: 'to be found',
      published: false,
    },
  ],
  membership_plans: [
    {
      id: 'friend',
      name: 'Friend',
      price: { amount: 900, currency: 'EUR', per: 'month' },
      includes: ['Events', 'Posts'],
      published: true,
    },
    {
      id: 'studio',
      name: 'Studio',
      price: { amount: 2900, currency: 'EUR', per: 'month' },
      includes: ['All courses', 'Events', 'Posts'],
      published: true,
    },
    {
      id: 'patron',
      name: 'Patron',
      price: { amount: 9900, currency: 'EUR', per: 'month' },
      includes: ['Everything'],
      published: false,
    },
  ],
  coupons: [{ id: 'WINTER20', code: 'WINTER20', percent: 20, until: '2027-02-28' }],
  posts: [
    { id: 'why-we-teach-slowly', title: 'Why we teach slowly', author: 'lucia-ferro', published: true },
    { id: 'ten-pigments', title: 'Ten pigments worth having', author: 'mira-holm', published: true },
    { id: 'draft-on-grading', title: 'On grading', author: 'tomas-novak', published: false },
  ],
  subscriptions: [
    { id: 'subscription-1', member: 'member-1', plan: 'studio', renews: '2026-12-11' },
    { id: 'subscription-2', member: 'member-2', plan: 'friend', renews: '2026-11-30' },
  ],
  digital_products: [
    {
      id: 'paper-textures',
      name: 'Forty paper textures',
      price: { amount: 1500, currency: 'EUR' },
      published: true,
    },
    {
      id: 'bread-timetable',
      name: 'A timetable for bread',
      price: { amount: 300, currency: 'EUR' },
      published: true,
    },
    {
      id: 'glaze-recipes',
      name: 'Glaze recipes',
      price: { amount: 1200, currency: 'EUR' },
      published: false,
    },
  ],
  comments: [{ id: 'comment-1', post: 'ten-pigments', author: 'Sam Okafor', text: 'I would add raw umber.' }],
  forms: [{ id: 'contact', title: 'Write to us', answers: 18 }],
  pages: [
    { id: 'about', title: 'About the school', published: true },
    { id: 'imprint', title: 'Imprint', published: true },
    { id: 'jobs', title: 'Working with us', published: false },
  ],
  account: [{ id: 'settings', newsletter: true, language: 'en' }],
}
