/** The same object with these of its methods replaced; it may have state and methods of its own. */
export function withMethods<Component extends object>(component: Component, methods: Partial<Component>): Component {
  return new Proxy(component, {
    get(target, name) {
      const replaced = Reflect.get(methods, name) as unknown;
      if (replaced !== undefined) return replaced;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
