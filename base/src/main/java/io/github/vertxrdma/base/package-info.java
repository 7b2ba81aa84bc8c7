/** Deadlines of an event loop, retries, binary records, limits for unauthenticated peers. */
package io.github.vertxrdma.base;
