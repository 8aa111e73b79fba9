"""The publications that scenarios cite, each once."""

from mlsysim.catalog import Source


def _doi(title: str, doi: str) -> Source:
    return Source(title=title, url=f"https://doi.org/{doi}")


def _arxiv(title: str, number: str) -> Source:
    return Source(title=title, url=f"https://arxiv.org/abs/{number}")


ABRAMOFF_2018 = _doi(
    "M. D. Abramoff et al. (2018), Pivotal trial of an autonomous AI-based diagnostic system, npj "
    "Digital Medicine 1:39",
    "10.1038/s41746-018-0040-6",
)
AMDAHL_1967 = _doi(
    "G. M. Amdahl (1967), Validity of the single processor approach, AFIPS Spring Joint Computer Conference",
    "10.1145/1465482.1465560",
)
AMERSHI_2019 = _doi(
    "S. Amershi et al. (2019), Software Engineering for Machine Learning: A Case Study, ICSE-SEIP",
    "10.1109/ICSE-SEIP.2019.00042",
)
ANSEL_2024 = _doi(
    "J. Ansel et al. (2024), PyTorch 2: Faster Machine Learning Through Dynamic Python Bytecode "
    "Transformation and Graph Compilation, ASPLOS",
    "10.1145/3620665.3640366",
)
BARROSO_2007 = _doi(
    "L. A. Barroso, U. Hölzle (2007), The Case for Energy-Proportional Computing, IEEE Computer 40(12)",
    "10.1109/MC.2007.443",
)
BAYDIN_2018 = _arxiv(
    "A. G. Baydin et al. (2018), Automatic Differentiation in Machine Learning: a Survey, JMLR 18",
    "1502.05767",
)
BA_2016 = _arxiv("J. L. Ba, J. R. Kiros, G. E. Hinton (2016), Layer Normalization", "1607.06450")
BEEDE_2020 = _doi(
    "E. Beede et al. (2020), A Human-Centered Evaluation of a Deep Learning System Deployed in "
    "Clinics for the Detection of Diabetic Retinopathy, CHI",
    "10.1145/3313831.3376718",
)
BLALOCK_2020 = _arxiv(
    "D. Blalock, J. J. Gonzalez Ortiz, J. Frankle, J. Guttag (2020), What is the State of Neural "
    "Network Pruning?, MLSys",
    "2003.03033",
)
BOEHM_1981 = Source(
    title="B. W. Boehm (1981), Software Engineering Economics, Prentice-Hall",
    url="https://openlibrary.org/isbn/9780138221225",
)
CHEN_2016 = _doi("Y.-H. Chen, J. Emer, V. Sze (2016), Eyeriss, ISCA", "10.1109/ISCA.2016.40")
CHEN_2018 = _arxiv("T. Chen et al. (2018), TVM", "1802.04799")
CHOWDHERY_2022 = _arxiv(
    "A. Chowdhery et al. (2022), PaLM: Scaling Language Modeling with Pathways (defines model FLOPs utilization)",
    "2204.02311",
)
CUDA_GUIDE = Source(
    title="NVIDIA, CUDA C++ Programming Guide (asynchronous launches, CUDA Graphs)",
    url="https://docs.nvidia.com/cuda/cuda-c-programming-guide/",
)
DALY_2006 = _doi(
    "J. T. Daly (2006), A higher order estimate of the optimum checkpoint interval for restart "
    "dumps, Future Generation Computer Systems 22(3)",
    "10.1016/j.future.2004.11.016",
)
DEEPSEEK_2024 = _arxiv("DeepSeek-AI (2024), DeepSeek-V2 (compressed key-value cache)", "2405.04434")
DEEPSEEK_V3 = _arxiv("DeepSeek-AI (2024), DeepSeek-V3 Technical Report", "2412.19437")
DENG_2009 = _doi("J. Deng et al. (2009), ImageNet, CVPR", "10.1109/CVPR.2009.5206848")
DEVLIN_2019 = _arxiv(
    "J. Devlin, M.-W. Chang, K. Lee, K. Toutanova (2019), BERT: Pre-training of Deep Bidirectional Transformers, NAACL",
    "1810.04805",
)
FERNANDEZ_2023 = _arxiv("J. Fernandez et al. (2023), The Framework Tax", "2302.06117")
GALE_2019 = _arxiv("T. Gale, E. Elsen, S. Hooker (2019), The State of Sparsity in Deep Neural Networks", "1902.09574")
GHODSI_2011 = Source(
    title="A. Ghodsi et al. (2011), Dominant Resource Fairness: Fair Allocation of Multiple Resource Types, NSDI",
    url="https://www.usenix.org/conference/nsdi11/dominant-resource-fairness-fair-allocation-multiple-resource-types",
)
GHOLAMI_2024 = _arxiv("A. Gholami et al. (2024), AI and Memory Wall, IEEE Micro 44(3)", "2403.14123")
GULSHAN_2016 = _doi(
    "V. Gulshan et al. (2016), Deep learning algorithm for detection of diabetic retinopathy, JAMA 316(22)",
    "10.1001/jama.2016.17216",
)
GUO_2017 = _arxiv(
    "C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017), On Calibration of Modern Neural Networks, ICML",
    "1706.04599",
)
HAN_2016 = _arxiv("S. Han, H. Mao, W. J. Dally (2016), Deep Compression, ICLR", "1510.00149")
HENNESSY_PATTERSON = Source(
    title="J. L. Hennessy, D. A. Patterson, Computer Architecture: A Quantitative Approach, 6th ed. (CPU time as a "
    "product of factors; Amdahl's law)",
    url="https://openlibrary.org/isbn/9780128119051",
)
HE_2017 = _arxiv(
    "Y. He, X. Zhang, J. Sun (2017), Channel Pruning for Accelerating Very Deep Neural Networks",
    "1707.06168",
)
HILL_MARTY_2008 = _doi(
    "M. D. Hill, M. R. Marty (2008), Amdahl's Law in the Multicore Era, IEEE Computer 41(7)", "10.1109/MC.2008.209"
)
HINTON_2015 = _arxiv(
    "G. Hinton, O. Vinyals, J. Dean (2015), Distilling the Knowledge in a Neural Network",
    "1503.02531",
)
HOFFMANN_2022 = _arxiv("J. Hoffmann et al. (2022), Training Compute-Optimal Large Language Models", "2203.15556")
HONG_KUNG_1981 = _doi(
    "J.-W. Hong, H. T. Kung (1981), I/O complexity: the red-blue pebble game, STOC", "10.1145/800076.802486"
)
HOROWITZ_2014 = _doi(
    "M. Horowitz (2014), Computing's energy problem (and what we can do about it), ISSCC",
    "10.1109/ISSCC.2014.6757323",
)
IEC_80000_13 = Source(
    title="IEC 80000-13:2008, Quantities and units, Information science and technology (bits, bytes, decimal "
    "and binary prefixes)",
    url="https://www.iso.org/standard/31898.html",
)
IEEE_754 = Source(title="IEEE 754-2019, roundTiesToEven", url="https://doi.org/10.1109/IEEESTD.2019.8766229")
IOFFE_2015 = _arxiv(
    "S. Ioffe, C. Szegedy (2015), Batch Normalization: Accelerating Deep Network Training by "
    "Reducing Internal Covariate Shift",
    "1502.03167",
)
JACOB_2018 = _arxiv(
    "B. Jacob et al. (2018), Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only "
    "Inference, CVPR",
    "1712.05877",
)
JEON_2019 = Source(
    title="M. Jeon et al. (2019), Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training "
    "Workloads, USENIX ATC",
    url="https://www.usenix.org/conference/atc19/presentation/jeon",
)
JOUPPI_2017 = _doi(
    "N. P. Jouppi et al. (2017), In-Datacenter Performance Analysis of a Tensor Processing Unit, ISCA",
    "10.1145/3079856.3080246",
)
JOUPPI_2023 = _arxiv(
    "N. P. Jouppi et al. (2023), TPU v4: An Optically Reconfigurable Supercomputer for Machine Learning, ISCA",
    "2304.01433",
)
KANG_2017 = _doi(
    "Y. Kang et al. (2017), Neurosurgeon: Collaborative Intelligence Between the Cloud and Mobile Edge, ASPLOS",
    "10.1145/3037697.3037698",
)
KAPLAN_2020 = _arxiv("J. Kaplan et al. (2020), Scaling Laws for Neural Language Models", "2001.08361")
KINGMA_2015 = _arxiv("D. P. Kingma, J. Ba (2015), Adam: A Method for Stochastic Optimization, ICLR", "1412.6980")
KOKOLIS_2024 = _arxiv(
    "A. Kokolis et al. (2024), Revisiting Reliability in Large-Scale Machine Learning Research Clusters",
    "2410.21680",
)
KUNG_1982 = _doi("H. T. Kung (1982), Why systolic architectures?, IEEE Computer 15(1)", "10.1109/MC.1982.1653825")
LAM_1991 = _doi(
    "M. S. Lam, E. E. Rothberg, M. E. Wolf (1991), The cache performance and optimizations of blocked algorithms, "
    "ASPLOS IV",
    "10.1145/106972.106981",
)
LEE_2010 = _doi("V. W. Lee et al. (2010), Debunking the 100X GPU vs. CPU myth, ISCA", "10.1145/1815961.1816021")
LI_2023 = _doi(
    "J. Li et al. (2023), Lyra: Elastic Scheduling for Deep Learning Clusters, EuroSys",
    "10.1145/3552326.3587445",
)
MIG_GUIDE = Source(
    title="NVIDIA Multi-Instance GPU User Guide",
    url="https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",
)
MILAKOV_2018 = _arxiv("M. Milakov, N. Gimelshein (2018), Online normalizer calculation for softmax", "1805.02867")
MOHAN_2021 = _arxiv("J. Mohan et al. (2021), Analyzing and Mitigating Data Stalls in DNN Training, VLDB", "2007.06775")
MURRAY_2021 = _arxiv("D. G. Murray et al. (2021), tf.data: A Machine Learning Data Processing Framework", "2101.12127")
NAGEL_2021 = _arxiv("M. Nagel et al. (2021), A White Paper on Neural Network Quantization", "2106.08295")
NARAYANAN_2021 = _arxiv(
    "D. Narayanan et al. (2021), Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC",
    "2104.04473",
)
OAKDEN_RAYNER_2020 = _arxiv(
    "L. Oakden-Rayner, J. Dunnmon, G. Carneiro, C. Re (2020), Hidden stratification causes "
    "clinically meaningful failures in machine learning for medical imaging",
    "1909.12475",
)
ONNX_QUANTIZE = Source(
    title="ONNX operator specification, QuantizeLinear",
    url="https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
)
OR_2020 = Source(
    title="A. Or, H. Zhang, M. J. Freedman (2020), Resource Elasticity in Distributed Deep Learning, MLSys",
    url="https://proceedings.mlsys.org/paper/2020/file/006f52e9102a8d3be2fe5614f42ba989-Paper.pdf",
)
PASZKE_2019 = _arxiv("A. Paszke et al. (2019), PyTorch: An Imperative Style, High-Performance Library", "1912.01703")
POPE_2022 = _arxiv("R. Pope et al. (2022), Efficiently Scaling Transformer Inference", "2211.05102")
QIAO_2021 = _arxiv(
    "A. Qiao et al. (2021), Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning, OSDI",
    "2008.12260",
)
RAJBHANDARI_2020 = _arxiv(
    "S. Rajbhandari et al. (2020), ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC",
    "1910.02054",
)
REDDI_2020 = _arxiv("V. J. Reddi et al. (2020), MLPerf Inference Benchmark, ISCA", "1911.02549")
RUMELHART_1986 = _doi(
    "D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-"
    "propagating errors, Nature 323:533-536",
    "10.1038/323533a0",
)
RUSSAKOVSKY_2015 = _arxiv(
    "O. Russakovsky et al. (2015), ImageNet Large Scale Visual Recognition Challenge",
    "1409.0575",
)
SAAD_2003 = Source(
    title="Y. Saad (2003), Iterative Methods for Sparse Linear Systems, 2nd ed., SIAM (compressed sparse row storage)",
    url="https://doi.org/10.1137/1.9780898718003",
)
SANDLER_2018 = _arxiv("M. Sandler et al. (2018), MobileNetV2", "1801.04381")
SATYANARAYANAN_2009 = _doi(
    "M. Satyanarayanan, P. Bahl, R. Caceres, N. Davies (2009), The Case for VM-Based Cloudlets in "
    "Mobile Computing, IEEE Pervasive Computing 8(4)",
    "10.1109/MPRV.2009.82",
)
SHAZEER_2017 = _arxiv("N. Shazeer et al. (2017), Outrageously Large Neural Networks", "1701.06538")
SHAZEER_2019 = _arxiv("N. Shazeer (2019), Fast Transformer Decoding: One Write-Head is All You Need", "1911.02150")
SHEN_2019 = _doi(
    "H. Shen et al. (2019), Nexus: a GPU cluster engine for accelerating DNN-based video analysis, SOSP",
    "10.1145/3341301.3359658",
)
VERMA_2015 = _doi(
    "A. Verma et al. (2015), Large-scale cluster management at Google with Borg, EuroSys",
    "10.1145/2741948.2741964",
)
WAHIB_2014 = _doi(
    "M. Wahib, N. Maruyama (2014), Scalable Kernel Fusion for Memory-Bound GPU Applications, SC", "10.1109/SC.2014.21"
)
WARDEN_2018 = _arxiv(
    "P. Warden (2018), Speech Commands: A Dataset for Limited-Vocabulary Speech Recognition",
    "1804.03209",
)
WENG_2023 = Source(
    title="Q. Weng et al. (2023), Beware of Fragmentation: Scheduling GPU-Sharing Workloads with "
    "Fragmentation Gradient Descent, USENIX ATC",
    url="https://www.usenix.org/conference/atc23/presentation/weng",
)
WEN_2016 = _arxiv(
    "W. Wen, C. Wu, Y. Wang, Y. Chen, H. Li (2016), Learning Structured Sparsity in Deep Neural Networks, NeurIPS",
    "1608.03665",
)
WILLIAMS_2009 = _doi(
    "S. Williams, A. Waterman, D. Patterson (2009), Roofline: an insightful visual performance model for multicore "
    "architectures, CACM 52(4)",
    "10.1145/1498765.1498785",
)
WULF_1995 = _doi(
    "W. A. Wulf, S. A. McKee (1995), Hitting the memory wall: implications of the obvious, ACM "
    "SIGARCH Computer Architecture News 23(1)",
    "10.1145/216585.216588",
)
YOUNG_1974 = _doi(
    "J. W. Young (1974), A first order approximation to the optimum checkpoint interval, CACM 17(9)",
    "10.1145/361147.361115",
)
ZHANG_2017 = _arxiv(
    "Y. Zhang, N. Suda, L. Lai, V. Chandra (2017), Hello Edge: Keyword Spotting on Microcontrollers",
    "1711.07128",
)
ZHAO_2020 = Source(
    title="H. Zhao et al. (2020), HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees, OSDI",
    url="https://www.usenix.org/conference/osdi20/presentation/zhao-hanyu",
)
