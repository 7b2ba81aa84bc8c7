/**
 * Remote memory over links. A region is memory that its owner shares with peers, its holders. Classes for one link are confined to its
 * event loop.
 */
package io.github.vertxrdma.impl.region;
