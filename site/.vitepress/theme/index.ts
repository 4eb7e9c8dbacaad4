import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import HeroPicture from './HeroPicture.vue'
import PageDiagram from './PageDiagram.vue'
import SectionFilter from './SectionFilter.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => h(HeroPicture),
      'doc-before': () => h(SectionFilter),
    }),
  enhanceApp: ({ app }) => void app.component('PageDiagram', PageDiagram),
} satisfies Theme
