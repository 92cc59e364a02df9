import { newId } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';
import { conflict } from '../http/errors.ts';
import { insertUser } from './store.ts';

export interface NewUser {
  name: string;
  /** Lower case. */
  email: string;
  password_hash: string;
  timezone: string;
  /** It followed a link that was mailed there. */
  email_verified: boolean;
}

export const emailTaken = () => conflict('this email is already registered');

/** @returns the id, or null when a user has this email. */
export async function registerUser(sql: AnySql, user: NewUser, nowMs: number): Promise<string | null> {
  const { email_verified, ...fields } = user;
  const id = newId(nowMs);
  const created_at = new Date(nowMs);
  const email_verified_at = email_verified ? created_at : null;
  return (await insertUser(sql, { ...fields, id, created_at, email_verified_at })) ? id : null;
}
