package io.github.vertxrdma.provider.verbs;

/** Connection manager, or the reason why it is not used. The remedy is null if a setting disables it. */
record Manager(RdmaCm cm, String missing, String remedy) {

  static Manager of(RdmaCm cm) {
    return new Manager(cm, null, null);
  }

  static Manager none(String why, String remedy) {
    return new Manager(null, why, remedy);
  }

  String absence() {
    return missing == null ? "/dev/infiniband/rdma_cm can no longer be opened" : missing + (remedy == null ? "" : " — " + remedy);
  }

  boolean isUsable() {
    return cm != null;
  }
}
