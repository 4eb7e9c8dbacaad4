import type { ScopeTexts } from './en.ts'

export const de: ScopeTexts = {
  areas: {
    courses: {
      title: 'Kurse',
      read: 'Alle Kurse ansehen, auch unveröffentlichte',
      write: 'Kurse anlegen, ändern und löschen',
    },
    students: {
      title: 'Teilnehmende',
      read: 'Die Teilnehmenden und ihren Fortschritt ansehen',
      write: 'Teilnehmende einschreiben, ändern und entfernen',
    },
    members: {
      title: 'Mitglieder',
      read: 'Die Mitglieder ansehen',
      write: 'Mitglieder hinzufügen, ändern und entfernen',
    },
    analytics: { title: 'Auswertungen', read: 'Besuche, Verkäufe und Abschlussquoten ansehen' },
    curriculum: {
      title: 'Lehrplan',
      read: 'Kapitel und Lektionen ansehen',
      write: 'Kapitel und Lektionen anlegen, ändern und löschen',
    },
    orders: { title: 'Bestellungen', read: 'Die Bestellungen ansehen' },
    school: {
      title: 'Schule',
      read: 'Die Einstellungen der Schule ansehen',
      write: 'Die Einstellungen der Schule ändern',
    },
    appearance: {
      title: 'Aussehen',
      read: 'Designs und Logos ansehen',
      write: 'Designs und Logos ändern',
    },
    events: {
      title: 'Veranstaltungen',
      read: 'Alle Veranstaltungen ansehen, auch unveröffentlichte',
      write: 'Veranstaltungen anlegen, ändern und löschen',
    },
    membership_plans: {
      title: 'Mitgliedschaften',
      read: 'Alle Mitgliedschaftsmodelle ansehen',
      write: 'Mitgliedschaftsmodelle anlegen, ändern und löschen',
    },
    coupons: {
      title: 'Gutscheine',
      read: 'Die Gutscheine ansehen',
      write: 'Gutscheine anlegen, ändern und löschen',
    },
    posts: {
      title: 'Beiträge',
      read: 'Alle Beiträge ansehen, auch Entwürfe',
      write: 'Beiträge schreiben, ändern und löschen',
    },
    subscriptions: {
      title: 'Abonnements',
      read: 'Die Abonnements ansehen',
      write: 'Abonnements abschließen, ändern und kündigen',
    },
    digital_products: {
      title: 'Digitale Produkte',
      read: 'Alle digitalen Produkte ansehen',
      write: 'Digitale Produkte anlegen, ändern und löschen',
    },
    comments: { title: 'Kommentare', read: 'Die Kommentare ansehen' },
    lecturers: {
      title: 'Lehrende',
      read: 'Alle Lehrenden ansehen',
      write: 'Lehrende hinzufügen, ändern und entfernen',
    },
    storage: { title: 'Dateien', write: 'Dateien hochladen, ändern und löschen' },
    forms: { title: 'Formulare', read: 'Die Formulare und ihre Antworten ansehen' },
    pages: {
      title: 'Seiten',
      read: 'Alle Seiten ansehen, auch Entwürfe',
      write: 'Seiten anlegen, ändern und löschen',
    },
    account: {
      title: 'Ihr Konto',
      read: 'Ihre Kontoeinstellungen ansehen',
      write: 'Ihre Kontoeinstellungen ändern',
    },
  },
}
