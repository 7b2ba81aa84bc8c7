/**
 * Interfaces that every fabric implements.
 *
 * <p>{@link io.github.vertxrdma.provider.Provider} finds {@link io.github.vertxrdma.provider.Device}s, and {@link
 * io.github.vertxrdma.provider.Selection} ranks them. {@link io.github.vertxrdma.provider.Device#open} returns a {@link
 * io.github.vertxrdma.provider.Domain}, which registers memory and creates a completion queue for each event loop. Calls that may block are
 * made off the event loop.
 */
package io.github.vertxrdma.provider;
