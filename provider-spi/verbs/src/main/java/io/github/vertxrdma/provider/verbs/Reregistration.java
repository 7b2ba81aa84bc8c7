package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import java.util.Set;

/** Changes the access rights of a registered region; ibv_rereg_mr(3). siw, and rxe before rdma-core 49, cannot. */
public final class Reregistration {
  private Reregistration() {
  }

  /**
   * Changes the access rights of a region that no operation uses. Its {@link MemoryRegion#remoteKey()} may change. Blocks. Thread-safe.
   *
   * @throws ProviderException {@code UNSUPPORTED} if the device cannot: the region is unchanged. {@code INVALID} if the region is closed,
   * or not of this provider. Any other reason: the region is no longer usable, close it
   */
  public static void change(MemoryRegion region, Set<Access> access) {
    if (!(region instanceof VerbsRegion mine)) {
      throw new ProviderException(ProviderException.Reason.INVALID, "the region does not belong to the provider verbs");
    }
    mine.reregister(access);
  }
}
