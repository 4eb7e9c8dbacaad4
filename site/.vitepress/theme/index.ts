import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import PageDiagram from './PageDiagram.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('PageDiagram', PageDiagram),
} satisfies Theme
