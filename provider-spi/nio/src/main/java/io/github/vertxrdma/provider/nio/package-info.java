/**
 * The provider SPI over non-blocking TCP sockets, for machines without a fabric, other operating systems and users' tests.
 *
 * <p>A connection is one socket that carries {@link io.github.vertxrdma.provider.nio.NioFrame frames}. The thread that polls or posts does
 * all input and output. Where system calls of Linux cannot be used, one daemon thread per completion queue waits while the polling thread
 * sleeps, and only wakes it.
 */
package io.github.vertxrdma.provider.nio;
