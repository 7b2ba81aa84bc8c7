/**
 * The whole contract over non-blocking sockets, for machines without a fabric, other operating systems and users' tests.
 *
 * <p>A connection is one socket that carries {@link io.github.vertxrdma.provider.nio.NioFrame frames}. The thread that polls or posts does
 * all input and output. Without system calls of Linux, one daemon thread per completion queue waits while that thread sleeps, and only
 * wakes it.
 */
package io.github.vertxrdma.provider.nio;
