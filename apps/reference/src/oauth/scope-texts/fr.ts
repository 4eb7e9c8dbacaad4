import type { ScopeTexts } from './en.ts'

export const fr: ScopeTexts = {
  areas: {
    courses: {
      title: 'Cours',
      read: 'Voir tous les cours, même non publiés',
      write: 'Créer, modifier et supprimer des cours',
    },
    students: {
      title: 'Élèves',
      read: 'Voir les élèves et leur progression',
      write: 'Inscrire, modifier et retirer des élèves',
    },
    members: {
      title: 'Membres',
      read: 'Voir les membres',
      write: 'Ajouter, modifier et retirer des membres',
    },
    analytics: { title: 'Statistiques', read: "Voir les visites, les ventes et les taux d'achèvement" },
    curriculum: {
      title: 'Programme',
      read: 'Voir les chapitres et les leçons',
      write: 'Créer, modifier et supprimer des chapitres et des leçons',
    },
    orders: { title: 'Commandes', read: 'Voir les commandes' },
    school: {
      title: 'École',
      read: "Voir les paramètres de l'école",
      write: "Modifier les paramètres de l'école",
    },
    appearance: {
      title: 'Apparence',
      read: 'Voir les thèmes et les logos',
      write: 'Modifier les thèmes et les logos',
    },
    events: {
      title: 'Événements',
      read: 'Voir tous les événements, même non publiés',
      write: 'Créer, modifier et supprimer des événements',
    },
    membership_plans: {
      title: "Formules d'adhésion",
      read: "Voir toutes les formules d'adhésion",
      write: "Créer, modifier et supprimer des formules d'adhésion",
    },
    coupons: {
      title: 'Codes promo',
      read: 'Voir les codes promo',
      write: 'Créer, modifier et supprimer des codes promo',
    },
    posts: {
      title: 'Articles',
      read: 'Voir tous les articles, même les brouillons',
      write: 'Rédiger, modifier et supprimer des articles',
    },
    subscriptions: {
      title: 'Abonnements',
      read: 'Voir les abonnements',
      write: 'Souscrire, modifier et résilier des abonnements',
    },
    digital_products: {
      title: 'Produits numériques',
      read: 'Voir tous les produits numériques',
      write: 'Créer, modifier et supprimer des produits numériques',
    },
    comments: { title: 'Commentaires', read: 'Voir les commentaires' },
    lecturers: {
      title: 'Intervenants',
      read: 'Voir tous les intervenants',
      write: 'Ajouter, modifier et retirer des intervenants',
    },
    storage: { title: 'Fichiers', write: 'Importer, modifier et supprimer des fichiers' },
    forms: { title: 'Formulaires', read: 'Voir les formulaires et leurs réponses' },
    pages: {
      title: 'Pages',
      read: 'Voir toutes les pages, même les brouillons',
      write: 'Créer, modifier et supprimer des pages',
    },
    account: {
      title: 'Votre compte',
      read: 'Voir les paramètres de votre compte',
      write: 'Modifier les paramètres de votre compte',
    },
  },
}
