package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Entries of a node's regions in the directory. */
@Timeout(60)
class SharedRegionsTest {
  private static final RegionOptions TABLE = new RegionOptions().setName("table").setSize(64);

  @TempDir
  Path folder;
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private SharedNode shared;
  private Node node;

  @BeforeEach
  void start() throws Exception {
    shared = SharedNode.acquire(vertx, new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())), null);
    node = await(shared.node());
  }

  @AfterEach
  void close() throws Exception {
    await(shared.release());
    await(vertx.close());
  }

  private OwnedRegion share() throws Exception {
    ContextInternal context = vertx.getOrCreateContext();
    return await(node.regions().share(context, new RegionOptions(TABLE), null));
  }

  /** Different threads report the death of a holder and the owner's close. */
  @Test
  void keysThatChangeWhileTheRegionIsClosedAreNotPublished() throws Exception {
    OwnedRegion first = share();
    assertTrue(node.directory().region("table").isPresent());
    await(first.close());
    node.regions().keysChanged(first);
    OwnedRegion second = share();
    assertEquals(second.id(), node.directory().region("table").orElseThrow().regionId());
    await(second.close());
    assertTrue(node.directory().region("table").isEmpty());
  }
}
