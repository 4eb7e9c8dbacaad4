/**
 * What the consent page says of each scope. The members of `areas` are the areas of the API: their scopes are `<area>:read`
 * and `<area>:write`, and a scope without a text does not exist.
 */
export const en = {
  areas: {
    courses: {
      title: 'Courses',
      read: 'See all courses, also unpublished ones',
      write: 'Create, change and delete courses',
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
    },
    membership_plans: {
      title: 'Membership plans',
      read: 'See all membership plans',
      write: 'Create, change and delete membership plans',
    },
    coupons: { title: 'Coupons', read: 'See the coupons', write: 'Create, change and delete coupons' },
    posts: { title: 'Posts', read: 'See all posts, also drafts', write: 'Write, change and delete posts' },
    subscriptions: {
      title: 'Subscriptions',
      read: 'See the subscriptions',
      write: 'Start, change and cancel subscriptions',
    },
    digital_products: {
      title: 'Digital products',
      read: 'See all digital products',
      write: 'Create, change and delete digital products',
    },
    comments: { title: 'Comments', read: 'See the comments' },
    lecturers: { title: 'Lecturers', read: 'See all lecturers', write: 'Add, change and remove lecturers' },
    storage: { title: 'Storage', write: 'Upload, change and delete files' },
    forms: { title: 'Forms', read: 'See the forms and their answers' },
    pages: { title: 'Pages', read: 'See all pages, also drafts', write: 'Create, change and delete pages' },
    account: {
      title: 'Your account',
      read: 'See your account settings',
      write: 'Change your account settings',
    },
  },
}

/** The same in another language. */
export type ScopeTexts = typeof en
