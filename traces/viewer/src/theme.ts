// Light or dark: as the system says until one chooses.
import { computed, signal } from '@preact/signals';

const system = window.matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', () => (systemDark.value = system.matches));
const chosen = signal<'light' | 'dark' | ''>('');

export const currentTheme = computed(() => chosen.value || (systemDark.value ? 'dark' : 'light'));
export function toggleTheme(): void {
  chosen.value = currentTheme.value === 'dark' ? 'light' : 'dark';
}
