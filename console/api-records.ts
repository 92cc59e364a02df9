/** Who is signed in, as the page reads it before the pages of the areas are loaded. */
export interface Me {
  user: { id: string; name: string; email: string } | null;
  workspace: { id: string; name: string; state: string } | null;
  permissions: string[];
  workspaces: { id: string; name: string; state: string }[];
}
