import { type ComponentType, createElement } from 'preact';
import { lazy } from 'preact-iso';
import { PageNotLoaded } from './ui/page-not-loaded.tsx';

/** A page at an address. An area of the console lists its pages in `<area>/routes.ts`, and `pages.tsx` has the areas. */
export interface PageRoute {
  /** Of `preact-iso`, such as `/calls/:call_id`. */
  path: string;
  component: ComponentType<Record<string, string>>;
  /** Who may see it; null: everybody who is signed in. */
  permission: string | null;
}

const orNotLoaded =
  <Props>(load: () => Promise<ComponentType<Props>>) =>
  (): Promise<ComponentType<Props>> =>
    load().catch(() => PageNotLoaded);

/**
 * Describes a page that is loaded when it is first shown. Its component gets nothing: it reads the address with `useRoute`, and who
 * looks with `useSession`.
 */
export const pageRoute = (
  path: string,
  permission: string | null,
  load: () => Promise<ComponentType<Record<string, never>>>,
): PageRoute => ({ path, permission, component: lazy(orNotLoaded(load)) as unknown as PageRoute['component'] });

/** The same with a page that begins anew when this part of the address changes. */
export const keyedRoute = (
  path: string,
  permission: string | null,
  parameter: string,
  load: () => Promise<ComponentType<Record<string, never>>>,
): PageRoute => {
  const Page = lazy(orNotLoaded(load)) as unknown as ComponentType<Record<string, string>>;
  const Keyed = (props: Record<string, string>) => createElement(Page, { ...props, key: props[parameter] } as never);
  return { path, permission, component: Keyed };
};
