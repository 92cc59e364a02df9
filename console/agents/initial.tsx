/** The first letter of an agent's name, in place of a picture. */
export const Initial = ({ name }: { name: string }) => (
  <span class="initial" aria-hidden="true">
    {[...name.trim()][0]?.toUpperCase() ?? '·'}
  </span>
);
