import type { ScopeTexts } from './en.ts'

export const es: ScopeTexts = {
  areas: {
    courses: {
      title: 'Cursos',
      read: 'Ver todos los cursos, también los no publicados',
      write: 'Crear, modificar y eliminar cursos',
    },
    students: {
      title: 'Alumnos',
      read: 'Ver los alumnos y su progreso',
      write: 'Inscribir, modificar y dar de baja alumnos',
    },
    members: {
      title: 'Miembros',
      read: 'Ver los miembros',
      write: 'Añadir, modificar y quitar miembros',
    },
    analytics: { title: 'Estadísticas', read: 'Ver visitas, ventas e índices de finalización' },
    curriculum: {
      title: 'Programa',
      read: 'Ver capítulos y lecciones',
      write: 'Crear, modificar y eliminar capítulos y lecciones',
    },
    orders: { title: 'Pedidos', read: 'Ver los pedidos' },
    school: {
      title: 'Escuela',
      read: 'Ver los ajustes de la escuela',
      write: 'Modificar los ajustes de la escuela',
    },
    appearance: {
      title: 'Aspecto',
      read: 'Ver temas y logotipos',
      write: 'Modificar temas y logotipos',
    },
    events: {
      title: 'Eventos',
      read: 'Ver todos los eventos, también los no publicados',
      write: 'Crear, modificar y eliminar eventos',
    },
    membership_plans: {
      title: 'Planes de membresía',
      read: 'Ver todos los planes de membresía',
      write: 'Crear, modificar y eliminar planes de membresía',
    },
    coupons: {
      title: 'Cupones',
      read: 'Ver los cupones',
      write: 'Crear, modificar y eliminar cupones',
    },
    posts: {
      title: 'Publicaciones',
      read: 'Ver todas las publicaciones, también los borradores',
      write: 'Escribir, modificar y eliminar publicaciones',
    },
    subscriptions: {
      title: 'Suscripciones',
      read: 'Ver las suscripciones',
      write: 'Iniciar, modificar y cancelar suscripciones',
    },
    digital_products: {
      title: 'Productos digitales',
      read: 'Ver todos los productos digitales',
      write: 'Crear, modificar y eliminar productos digitales',
    },
    comments: { title: 'Comentarios', read: 'Ver los comentarios' },
    lecturers: {
      title: 'Docentes',
      read: 'Ver todos los docentes',
      write: 'Añadir, modificar y quitar docentes',
    },
    storage: { title: 'Archivos', write: 'Subir, modificar y eliminar archivos' },
    forms: { title: 'Formularios', read: 'Ver los formularios y sus respuestas' },
    pages: {
      title: 'Páginas',
      read: 'Ver todas las páginas, también los borradores',
      write: 'Crear, modificar y eliminar páginas',
    },
    account: {
      title: 'Su cuenta',
      read: 'Ver los ajustes de su cuenta',
      write: 'Modificar los ajustes de su cuenta',
    },
  },
}
