import { t } from '../texts/texts.ts';
import { abilities, isAble, ROLES, roleName } from './roles.ts';

/** What each role may do. */
export function RolesTable() {
  return (
    <section class="panel" aria-labelledby="roles-title">
      <h2 id="roles-title">{t('What each role may do')}</h2>
      <div class="table-scroll">
        <table class="table roles">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden-title">{t('What')}</span>
              </th>
              {ROLES.map((role) => (
                <th key={role} scope="col">
                  {roleName(role)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {abilities().map((ability) => (
              <tr key={ability.text}>
                <th scope="row">{ability.text}</th>
                {ROLES.map((role) => (
                  <td key={role}>
                    <span aria-hidden="true">{isAble(role, ability) ? '✓' : '–'}</span>
                    <span class="hidden-title">{isAble(role, ability) ? t('yes') : t('no')}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
