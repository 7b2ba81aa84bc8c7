/**
 * The provider SPI over non-blocking TCP sockets, for machines without RDMA and for tests.
 *
 * <p>A connection is one socket that carries {@link io.github.vertxrdma.provider.nio.NioFrame frames}. The thread that polls or posts does
 * all input and output. Without system calls of Linux, each completion queue has a daemon thread that wakes the sleeping polling thread.
 */
package io.github.vertxrdma.provider.nio;
