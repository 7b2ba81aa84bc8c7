package io.github.vertxrdma.provider.verbs;

/**
 * The connection manager, or the reason for its absence.
 *
 * @param cm null if it cannot be used
 * @param missing null if it is used
 * @param remedy null if the user does not want it
 */
record Manager(RdmaCm cm, String missing, String remedy) {

  static Manager of(RdmaCm cm) {
    return new Manager(cm, null, null);
  }

  static Manager none(String why, String remedy) {
    return new Manager(null, why, remedy);
  }

  String absence() {
    return missing == null ? "/dev/infiniband/rdma_cm cannot be opened any more" : missing + (remedy == null ? "" : " — " + remedy);
  }

  boolean isUsable() {
    return cm != null;
  }
}
