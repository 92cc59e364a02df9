/**
 * The 28 states and 8 union territories of India with their 779 districts, as of 1 January 2025: Rajasthan after its
 * nine districts were dissolved on 28 December 2024 (41), Nagaland with Meluri (17), Arunachal Pradesh with Keyi
 * Panyor and Bichom (27), Assam with the four districts of 2023 (35). The four regions of Puducherry count as
 * districts. Later changes (such as Vav-Tharad in Gujarat) are not in it yet.
 *
 * Codes are those of ISO 3166-2:IN (newsletter of 23 November 2023); GST codes are the first two digits of a GSTIN,
 * from the state code list of the GST portal. 25 and 28 are no longer given out: Daman and Diu joined 26, and Andhra
 * Pradesh got 37. Names are those the districts' own governments use.
 */
export interface State {
  /** Two letters. */
  code: string;
  name: string;
  /** Two digits. */
  gst_code: string;
  /** In alphabetical order. */
  districts: string[];
}

const LIST: readonly (readonly [code: string, gstCode: string, name: string, districts: string])[] = [
  ['AN', '35', 'Andaman and Nicobar Islands', 'Nicobar, North and Middle Andaman, South Andaman'],
  [
    'AP',
    '37',
    'Andhra Pradesh',
    `Alluri Sitharama Raju, Anakapalli, Ananthapuramu, Annamayya, Bapatla, Chittoor, Dr. B.R. Ambedkar Konaseema,
    East Godavari, Eluru, Guntur, Kakinada, Krishna, Kurnool, Nandyal, NTR, Palnadu, Parvathipuram Manyam, Prakasam,
    Sri Potti Sriramulu Nellore, Sri Sathya Sai, Srikakulam, Tirupati, Visakhapatnam, Vizianagaram, West Godavari,
    YSR Kadapa`,
  ],
  [
    'AR',
    '12',
    'Arunachal Pradesh',
    `Anjaw, Bichom, Changlang, Dibang Valley, East Kameng, East Siang, Kamle, Keyi Panyor, Kra Daadi, Kurung Kumey,
    Lepa Rada, Lohit, Longding, Lower Dibang Valley, Lower Siang, Lower Subansiri, Namsai, Pakke-Kessang, Papum Pare,
    Shi Yomi, Siang, Tawang, Tirap, Upper Siang, Upper Subansiri, West Kameng, West Siang`,
  ],
  [
    'AS',
    '18',
    'Assam',
    `Bajali, Baksa, Barpeta, Biswanath, Bongaigaon, Cachar, Charaideo, Chirang, Darrang, Dhemaji, Dhubri, Dibrugarh,
    Dima Hasao, Goalpara, Golaghat, Hailakandi, Hojai, Jorhat, Kamrup, Kamrup Metropolitan, Karbi Anglong, Kokrajhar,
    Lakhimpur, Majuli, Morigaon, Nagaon, Nalbari, Sivasagar, Sonitpur, South Salmara-Mankachar, Sribhumi, Tamulpur,
    Tinsukia, Udalguri, West Karbi Anglong`,
  ],
  [
    'BR',
    '10',
    'Bihar',
    `Araria, Arwal, Aurangabad, Banka, Begusarai, Bhagalpur, Bhojpur, Buxar, Darbhanga, East Champaran, Gaya,
    Gopalganj, Jamui, Jehanabad, Kaimur, Katihar, Khagaria, Kishanganj, Lakhisarai, Madhepura, Madhubani, Munger,
    Muzaffarpur, Nalanda, Nawada, Patna, Purnia, Rohtas, Saharsa, Samastipur, Saran, Sheikhpura, Sheohar, Sitamarhi,
    Siwan, Supaul, Vaishali, West Champaran`,
  ],
  ['CH', '04', 'Chandigarh', 'Chandigarh'],
  [
    'CG',
    '22',
    'Chhattisgarh',
    `Balod, Baloda Bazar-Bhatapara, Balrampur-Ramanujganj, Bastar, Bemetara, Bijapur, Bilaspur, Dantewada, Dhamtari,
    Durg, Gariaband, Gaurela-Pendra-Marwahi, Janjgir-Champa, Jashpur, Kabirdham, Kanker,
    Khairagarh-Chhuikhadan-Gandai, Kondagaon, Korba, Koriya, Mahasamund, Manendragarh-Chirmiri-Bharatpur,
    Mohla-Manpur-Ambagarh Chowki, Mungeli, Narayanpur, Raigarh, Raipur, Rajnandgaon, Sakti, Sarangarh-Bilaigarh,
    Sukma, Surajpur, Surguja`,
  ],
  ['DH', '26', 'Dadra and Nagar Haveli and Daman and Diu', 'Dadra and Nagar Haveli, Daman, Diu'],
  [
    'DL',
    '07',
    'Delhi',
    `Central Delhi, East Delhi, New Delhi, North Delhi, North East Delhi, North West Delhi, Shahdara, South Delhi,
    South East Delhi, South West Delhi, West Delhi`,
  ],
  ['GA', '30', 'Goa', 'North Goa, South Goa'],
  [
    'GJ',
    '24',
    'Gujarat',
    `Ahmedabad, Amreli, Anand, Aravalli, Banaskantha, Bharuch, Bhavnagar, Botad, Chhota Udaipur, Dahod, Dang,
    Devbhumi Dwarka, Gandhinagar, Gir Somnath, Jamnagar, Junagadh, Kheda, Kutch, Mahisagar, Mehsana, Morbi, Narmada,
    Navsari, Panchmahal, Patan, Porbandar, Rajkot, Sabarkantha, Surat, Surendranagar, Tapi, Vadodara, Valsad`,
  ],
  [
    'HR',
    '06',
    'Haryana',
    `Ambala, Bhiwani, Charkhi Dadri, Faridabad, Fatehabad, Gurugram, Hisar, Jhajjar, Jind, Kaithal, Karnal,
    Kurukshetra, Mahendragarh, Nuh, Palwal, Panchkula, Panipat, Rewari, Rohtak, Sirsa, Sonipat, Yamunanagar`,
  ],
  [
    'HP',
    '02',
    'Himachal Pradesh',
    `Bilaspur, Chamba, Hamirpur, Kangra, Kinnaur, Kullu, Lahaul and Spiti, Mandi, Shimla, Sirmaur, Solan, Una`,
  ],
  [
    'JK',
    '01',
    'Jammu and Kashmir',
    `Anantnag, Bandipora, Baramulla, Budgam, Doda, Ganderbal, Jammu, Kathua, Kishtwar, Kulgam, Kupwara, Poonch,
    Pulwama, Rajouri, Ramban, Reasi, Samba, Shopian, Srinagar, Udhampur`,
  ],
  [
    'JH',
    '20',
    'Jharkhand',
    `Bokaro, Chatra, Deoghar, Dhanbad, Dumka, East Singhbhum, Garhwa, Giridih, Godda, Gumla, Hazaribagh, Jamtara,
    Khunti, Koderma, Latehar, Lohardaga, Pakur, Palamu, Ramgarh, Ranchi, Sahibganj, Seraikela-Kharsawan, Simdega,
    West Singhbhum`,
  ],
  [
    'KA',
    '29',
    'Karnataka',
    `Bagalkote, Ballari, Belagavi, Bengaluru Rural, Bengaluru Urban, Bidar, Chamarajanagara, Chikkaballapura,
    Chikkamagaluru, Chitradurga, Dakshina Kannada, Davanagere, Dharwad, Gadag, Hassan, Haveri, Kalaburagi, Kodagu,
    Kolar, Koppal, Mandya, Mysuru, Raichur, Ramanagara, Shivamogga, Tumakuru, Udupi, Uttara Kannada, Vijayanagara,
    Vijayapura, Yadgir`,
  ],
  [
    'KL',
    '32',
    'Kerala',
    `Alappuzha, Ernakulam, Idukki, Kannur, Kasaragod, Kollam, Kottayam, Kozhikode, Malappuram, Palakkad,
    Pathanamthitta, Thiruvananthapuram, Thrissur, Wayanad`,
  ],
  ['LA', '38', 'Ladakh', 'Kargil, Leh'],
  ['LD', '31', 'Lakshadweep', 'Lakshadweep'],
  [
    'MP',
    '23',
    'Madhya Pradesh',
    `Agar Malwa, Alirajpur, Anuppur, Ashoknagar, Balaghat, Barwani, Betul, Bhind, Bhopal, Burhanpur, Chhatarpur,
    Chhindwara, Damoh, Datia, Dewas, Dhar, Dindori, Guna, Gwalior, Harda, Indore, Jabalpur, Jhabua, Katni, Khandwa,
    Khargone, Maihar, Mandla, Mandsaur, Mauganj, Morena, Narmadapuram, Narsinghpur, Neemuch, Niwari, Pandhurna, Panna,
    Raisen, Rajgarh, Ratlam, Rewa, Sagar, Satna, Sehore, Seoni, Shahdol, Shajapur, Sheopur, Shivpuri, Sidhi,
    Singrauli, Tikamgarh, Ujjain, Umaria, Vidisha`,
  ],
  [
    'MH',
    '27',
    'Maharashtra',
    `Ahilyanagar, Akola, Amravati, Beed, Bhandara, Buldhana, Chandrapur, Chhatrapati Sambhajinagar, Dharashiv, Dhule,
    Gadchiroli, Gondia, Hingoli, Jalgaon, Jalna, Kolhapur, Latur, Mumbai City, Mumbai Suburban, Nagpur, Nanded,
    Nandurbar, Nashik, Palghar, Parbhani, Pune, Raigad, Ratnagiri, Sangli, Satara, Sindhudurg, Solapur, Thane, Wardha,
    Washim, Yavatmal`,
  ],
  [
    'MN',
    '14',
    'Manipur',
    `Bishnupur, Chandel, Churachandpur, Imphal East, Imphal West, Jiribam, Kakching, Kamjong, Kangpokpi, Noney,
    Pherzawl, Senapati, Tamenglong, Tengnoupal, Thoubal, Ukhrul`,
  ],
  [
    'ML',
    '17',
    'Meghalaya',
    `East Garo Hills, East Jaintia Hills, East Khasi Hills, Eastern West Khasi Hills, North Garo Hills, Ri Bhoi,
    South Garo Hills, South West Garo Hills, South West Khasi Hills, West Garo Hills, West Jaintia Hills,
    West Khasi Hills`,
  ],
  [
    'MZ',
    '15',
    'Mizoram',
    `Aizawl, Champhai, Hnahthial, Khawzawl, Kolasib, Lawngtlai, Lunglei, Mamit, Saitual, Serchhip, Siaha`,
  ],
  [
    'NL',
    '13',
    'Nagaland',
    `Chumoukedima, Dimapur, Kiphire, Kohima, Longleng, Meluri, Mokokchung, Mon, Niuland, Noklak, Peren, Phek,
    Shamator, Tseminyu, Tuensang, Wokha, Zunheboto`,
  ],
  [
    'OD',
    '21',
    'Odisha',
    `Angul, Balangir, Balasore, Bargarh, Bhadrak, Boudh, Cuttack, Deogarh, Dhenkanal, Gajapati, Ganjam,
    Jagatsinghpur, Jajpur, Jharsuguda, Kalahandi, Kandhamal, Kendrapara, Keonjhar, Khordha, Koraput, Malkangiri,
    Mayurbhanj, Nabarangpur, Nayagarh, Nuapada, Puri, Rayagada, Sambalpur, Subarnapur, Sundargarh`,
  ],
  ['PY', '34', 'Puducherry', 'Karaikal, Mahe, Puducherry, Yanam'],
  [
    'PB',
    '03',
    'Punjab',
    `Amritsar, Barnala, Bathinda, Faridkot, Fatehgarh Sahib, Fazilka, Ferozepur, Gurdaspur, Hoshiarpur, Jalandhar,
    Kapurthala, Ludhiana, Malerkotla, Mansa, Moga, Pathankot, Patiala, Rupnagar, Sahibzada Ajit Singh Nagar, Sangrur,
    Shaheed Bhagat Singh Nagar, Sri Muktsar Sahib, Tarn Taran`,
  ],
  [
    'RJ',
    '08',
    'Rajasthan',
    `Ajmer, Alwar, Balotra, Banswara, Baran, Barmer, Beawar, Bharatpur, Bhilwara, Bikaner, Bundi, Chittorgarh, Churu,
    Dausa, Deeg, Dholpur, Didwana-Kuchaman, Dungarpur, Hanumangarh, Jaipur, Jaisalmer, Jalore, Jhalawar, Jhunjhunu,
    Jodhpur, Karauli, Khairthal-Tijara, Kota, Kotputli-Behror, Nagaur, Pali, Phalodi, Pratapgarh, Rajsamand, Salumbar,
    Sawai Madhopur, Sikar, Sirohi, Sri Ganganagar, Tonk, Udaipur`,
  ],
  ['SK', '11', 'Sikkim', 'Gangtok, Gyalshing, Mangan, Namchi, Pakyong, Soreng'],
  [
    'TN',
    '33',
    'Tamil Nadu',
    `Ariyalur, Chengalpattu, Chennai, Coimbatore, Cuddalore, Dharmapuri, Dindigul, Erode, Kallakurichi, Kancheepuram,
    Kanniyakumari, Karur, Krishnagiri, Madurai, Mayiladuthurai, Nagapattinam, Namakkal, Perambalur, Pudukkottai,
    Ramanathapuram, Ranipet, Salem, Sivaganga, Tenkasi, Thanjavur, The Nilgiris, Theni, Thiruvallur, Thiruvarur,
    Thoothukudi, Tiruchirappalli, Tirunelveli, Tirupathur, Tiruppur, Tiruvannamalai, Vellore, Viluppuram,
    Virudhunagar`,
  ],
  [
    'TS',
    '36',
    'Telangana',
    `Adilabad, Bhadradri Kothagudem, Hanumakonda, Hyderabad, Jagtial, Jangaon, Jayashankar Bhupalpally,
    Jogulamba Gadwal, Kamareddy, Karimnagar, Khammam, Komaram Bheem Asifabad, Mahabubabad, Mahabubnagar, Mancherial,
    Medak, Medchal-Malkajgiri, Mulugu, Nagarkurnool, Nalgonda, Narayanpet, Nirmal, Nizamabad, Peddapalli,
    Rajanna Sircilla, Ranga Reddy, Sangareddy, Siddipet, Suryapet, Vikarabad, Wanaparthy, Warangal,
    Yadadri Bhuvanagiri`,
  ],
  ['TR', '16', 'Tripura', `Dhalai, Gomati, Khowai, North Tripura, Sepahijala, South Tripura, Unakoti, West Tripura`],
  [
    'UP',
    '09',
    'Uttar Pradesh',
    `Agra, Aligarh, Ambedkar Nagar, Amethi, Amroha, Auraiya, Ayodhya, Azamgarh, Baghpat, Bahraich, Ballia, Balrampur,
    Banda, Barabanki, Bareilly, Basti, Bhadohi, Bijnor, Budaun, Bulandshahr, Chandauli, Chitrakoot, Deoria, Etah,
    Etawah, Farrukhabad, Fatehpur, Firozabad, Gautam Buddha Nagar, Ghaziabad, Ghazipur, Gonda, Gorakhpur, Hamirpur,
    Hapur, Hardoi, Hathras, Jalaun, Jaunpur, Jhansi, Kannauj, Kanpur Dehat, Kanpur Nagar, Kasganj, Kaushambi,
    Kushinagar, Lakhimpur Kheri, Lalitpur, Lucknow, Maharajganj, Mahoba, Mainpuri, Mathura, Mau, Meerut, Mirzapur,
    Moradabad, Muzaffarnagar, Pilibhit, Pratapgarh, Prayagraj, Raebareli, Rampur, Saharanpur, Sambhal,
    Sant Kabir Nagar, Shahjahanpur, Shamli, Shravasti, Siddharthnagar, Sitapur, Sonbhadra, Sultanpur, Unnao,
    Varanasi`,
  ],
  [
    'UK',
    '05',
    'Uttarakhand',
    `Almora, Bageshwar, Chamoli, Champawat, Dehradun, Haridwar, Nainital, Pauri Garhwal, Pithoragarh, Rudraprayag,
    Tehri Garhwal, Udham Singh Nagar, Uttarkashi`,
  ],
  [
    'WB',
    '19',
    'West Bengal',
    `Alipurduar, Bankura, Birbhum, Cooch Behar, Dakshin Dinajpur, Darjeeling, Hooghly, Howrah, Jalpaiguri, Jhargram,
    Kalimpong, Kolkata, Malda, Murshidabad, Nadia, North 24 Parganas, Paschim Bardhaman, Paschim Medinipur,
    Purba Bardhaman, Purba Medinipur, Purulia, South 24 Parganas, Uttar Dinajpur`,
  ],
];

/** In alphabetical order. */
export const STATES: readonly State[] = LIST.map(([code, gst_code, name, districts]) => ({
  code,
  name,
  gst_code,
  districts: districts.split(/,\s+/),
}));

export const isStateOfIndia = (name: string): boolean => STATES.some((state) => state.name === name);
