/** Classes that several modules need: deadlines of a loop, retries, binary records, limits for peers that are not authenticated yet. */
package io.github.vertxrdma.base;
