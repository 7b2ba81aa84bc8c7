/**
 * The provider in pure Java: the whole contract over non-blocking sockets, for machines without a fabric, other operating systems and
 * users' tests.
 *
 * <p>A connection is one socket that carries {@link io.github.vertxrdma.provider.nio.NioFrame frames}. All input and output happens on the
 * thread that polls or posts; for each completion queue that was ever armed, one daemon thread waits while that thread sleeps, and only
 * wakes it. Writes complete when the target has acknowledged them; completions of an endpoint come in the order of its posts.
 */
package io.github.vertxrdma.provider.nio;
